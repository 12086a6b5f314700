// The tray over the session bus: the items of its menu, their check marks, and clicks.
import { until } from "./wait.mjs";

const ITEM = "org.kde.StatusNotifierItem";

export class Tray {
  constructor(session) {
    this.session = session;
  }

  /** Every item of the menu, submenus included: `{id, label, enabled, checked}`. */
  async items() {
    const { bus, menu } = await this.#menu();
    const layout = await this.session.call(bus, menu, "com.canonical.dbusmenu.GetLayout", "0", "-1", "[]");
    return [...layout.matchAll(/\((\d+), \{((?:[^{}'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*)\}/g)]
      .map(([, id, properties]) => ({
        id: Number(id),
        label: labelOf(properties),
        enabled: !/'enabled': <false>/.test(properties),
        checked: /'toggle-state': <(?:int32 )?1>/.test(properties),
        isCheck: /'toggle-type': <'checkmark'>/.test(properties),
      }))
      .filter(({ label }) => label !== "");
  }

  async item(label) {
    const found = (await this.items()).find((item) => item.label === label);
    if (!found) throw new Error(`the tray has no item "${label}"`);
    return found;
  }

  /** The disabled first line. */
  async headline() {
    return (await this.items())[0]?.label ?? "";
  }

  async click(label) {
    const item = await until(`the tray offers "${label}"`, async () => {
      const found = await this.item(label);
      return found.enabled && found;
    });
    const { bus, menu } = await this.#menu();
    await this.session.call(bus, menu, "com.canonical.dbusmenu.Event", String(item.id), "clicked", "<''>", "0");
  }

  /** The file of the icon. */
  async icon() {
    const { bus, item } = await this.#menu();
    return this.session.get(bus, item, ITEM, "IconName");
  }

  async #menu() {
    const { session } = this;
    const [, where] = /'((?::|org)[^']*)'/.exec(await session.panel.items()) ?? [];
    if (!where) throw new Error("no icon is in the tray");
    const slash = where.indexOf("/");
    const [bus, item] = [where.slice(0, slash), where.slice(slash)];
    const answer = await session.get(bus, item, ITEM, "Menu");
    const [, menu] = /(\/[^']*)/.exec(answer) ?? [];
    return { bus, item, menu };
  }
}

function labelOf(properties) {
  const [, single, double] = /'label': <(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")>/.exec(properties) ?? [];
  // A doubled underscore is one that is no mnemonic.
  return (single ?? double ?? "").replaceAll("__", "_").replaceAll(/\\(.)/g, "$1");
}
