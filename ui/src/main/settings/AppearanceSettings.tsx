// Appearance of the windows.
import { Choice } from "../../parts/Choice";
import { useStored } from "../../parts/hooks";
import { applyTheme, THEME_NAMES, THEMES } from "../../parts/theme";
import styles from "../Settings.module.css";

export function AppearanceSettings() {
  const [theme, setTheme] = useStored("theme", "system", THEMES);
  return (
    <section className={styles.section} aria-labelledby="appearance-title">
      <h2 id="appearance-title" className={styles.title}>
        Appearance
      </h2>
      <Choice
        legend="Appearance"
        isLegendHidden
        value={theme}
        options={THEME_NAMES}
        onChange={(next) => {
          setTheme(next);
          applyTheme(next);
        }}
      />
    </section>
  );
}
