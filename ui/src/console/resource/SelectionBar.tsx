// The selected rows of a list: how many they are, and what can be done with them.
import { useState } from "react";
import { Checkbox } from "@base-ui/react/checkbox";
import type { Base } from "../../api/management";
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import fieldStyles from "../../parts/Field.module.css";
import { BulkDelete } from "./BulkDelete";
import { inside, type Kind } from "./kind";
import styles from "./ResourceTable.module.css";
import type { RowSelection } from "./useRowSelection";

export function SelectionBar<T extends Base>({
  kind,
  selection,
}: {
  kind: Kind<T>;
  selection: RowSelection<T>;
}) {
  const [isDeleting, setDeleting] = useState(false);
  const { records } = selection;
  return (
    <div className={styles.selection} role="group" aria-label="Selected rows">
      <p role="status">{counted(records.length, kind.singular, inside(kind.plural))} selected</p>
      <Button weight="danger" icon="trash" onClick={() => setDeleting(true)}>
        {kind.live?.removal ?? "Delete"} selected
      </Button>
      <Button weight="quiet" onClick={selection.clear}>
        Clear the selection
      </Button>
      {isDeleting && (
        <BulkDelete
          kind={kind}
          records={records}
          onDeleted={(record) =>
            selection.set(
              records.filter(({ id }) => id === record.id),
              false,
            )
          }
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

interface SelectBoxProps {
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

/** A checkbox whose label is for assistive technology only. */
export function SelectBox({ label, checked, disabled = false, onChange }: SelectBoxProps) {
  return (
    <Checkbox.Root
      nativeButton
      render={(props) => <button {...props} type="button" />}
      className={styles.selectBox}
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
    >
      <span className={styles.selectMark}>
        <Checkbox.Indicator className={fieldStyles.mark}>
          <Icon name="check" size={12} />
        </Checkbox.Indicator>
      </span>
    </Checkbox.Root>
  );
}
