// The appearance, chosen here where there is no settings page.
import { Button } from "../../parts/Button";
import { useStored } from "../../parts/hooks";
import { Menu } from "../../parts/Menu";
import { applyTheme, THEME_NAMES, THEMES } from "../../parts/theme";

export function ThemeMenu() {
  const [theme, setTheme] = useStored("theme", "system", THEMES);
  return (
    <Menu
      title="Appearance"
      trigger={
        <Button weight="quiet" icon="eye">
          Appearance
        </Button>
      }
      actions={THEME_NAMES.map(({ value, label }) => ({
        label,
        icon: value === theme ? ("check" as const) : ("circle" as const),
        run: () => {
          setTheme(value);
          applyTheme(value);
        },
      }))}
    />
  );
}
