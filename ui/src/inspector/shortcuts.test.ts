import { describe, expect, it } from "vitest";
import { actionFor } from "./shortcuts";

const press = (key: string, modifiers: Partial<Record<"ctrlKey" | "metaKey" | "altKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
});

/** An element that is inside the given selectors. */
const inside = (...places: string[]) =>
  ({
    closest: (selector: string) => (places.some((place) => selector.includes(place)) ? {} : null),
  }) as unknown as Element;

describe("single keys", () => {
  it("act on the list", () => {
    expect(actionFor(press("j"), inside(), true)).toBe("next");
    expect(actionFor(press("ArrowUp"), inside(), true)).toBe("previous");
    expect(actionFor(press("x"), inside(), true)).toBeNull();
    expect(actionFor(press("e"), inside(), true)).toBe("edit");
    expect(actionFor({ ...press("ArrowDown"), shiftKey: true }, inside(), true)).toBe("extendDown");
    expect(actionFor({ ...press("?"), shiftKey: true }, inside(), true)).toBe("help");
  });

  it("never act with a modifier, while typing, or inside a dialog or menu", () => {
    expect(actionFor(press("r", { ctrlKey: true }), inside(), true)).toBeNull();
    expect(actionFor(press("r"), inside("input"), true)).toBeNull();
    expect(actionFor(press("Escape"), inside("[role=dialog]"), true)).toBeNull();
    expect(actionFor(press("j"), inside("[role=menu]"), true)).toBeNull();
  });

  it("leave arrows to trees and tabs, and Enter to buttons", () => {
    expect(actionFor(press("ArrowDown"), inside("[role=tree]"), true)).toBeNull();
    expect(actionFor(press("j"), inside("[role=tree]"), true)).toBe("next");
    expect(actionFor(press("Enter"), inside("button"), true)).toBeNull();
  });

  it("can be turned off as far as they are letters", () => {
    expect(actionFor(press("r"), inside(), false)).toBeNull();
    expect(actionFor(press("/"), inside(), false)).toBeNull();
    expect(actionFor(press("ArrowDown"), inside(), false)).toBe("next");
    expect(actionFor(press("Escape"), inside("input"), false)).toBe("escape");
  });
});
