// Traffic over an hour up to 90 days: charts of requests and latency, and the same as a table.
import { useMemo, useState } from "react";
import type { TrafficRange } from "../../api/generated";
import { size } from "../../model/format";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { useAddressSearch } from "../address";
import { useApiQuery } from "../management";
import { MissingNodesNotice } from "../MissingNodes";
import { Failure, Loading } from "../shell/PageStates";
import { LatencyChart } from "./LatencyChart";
import { OutcomesChart } from "./OutcomesChart";
import { SeriesTable } from "./SeriesTable";
import { RANGES, seriesQuery, slotsOf, type Passing } from "./series";
import styles from "./TrafficHistory.module.css";

/** A tab with the traffic of an edge or a route. */
export function TrafficTab({ id, passing }: { id: string; passing: Passing }) {
  const [search, change] = useAddressSearch();
  const range = RANGES.find(({ value }) => value === search["over"])?.value ?? "day";
  return (
    <>
      <Choice
        legend="Time range"
        isLegendHidden
        value={range}
        options={RANGES}
        onChange={(over) => change({ over: over === "day" ? undefined : over })}
      />
      <TrafficHistory id={id} passing={passing} range={range} />
    </>
  );
}

interface TrafficHistoryProps {
  /** An edge or a route; null for all traffic together. */
  id: string | null;
  passing: Passing;
  range: TrafficRange;
}

export function TrafficHistory({ id, passing, range }: TrafficHistoryProps) {
  const query = useApiQuery(seriesQuery(id, range));
  const [at, setAt] = useState<number | null>(null);
  const [isTable, setIsTable] = useState(false);
  const series = query.data?.id === id ? query.data : undefined;
  const slots = useMemo(() => (series ? slotsOf(series) : []), [series]);
  if (!series) {
    if (!query.isError) return <Loading />;
    return (
      <Failure
        thrown={query.error}
        title="The traffic could not be read"
        retry={() => void query.refetch()}
      />
    );
  }
  const { total } = series;
  const cursor = at !== null && at < slots.length ? at : null;
  return (
    <div className={styles.history}>
      <MissingNodesNotice nodes={series.nodes_missing} />
      <OutcomesChart slots={slots} total={total} passing={passing} at={cursor} onMove={setAt} />
      {total.latency && <LatencyChart slots={slots} total={total} at={cursor} onMove={setAt} />}
      <div className={styles.foot}>
        <p>
          {size(total.bytes_in)} from visitors and {size(total.bytes_out)} to visitors
          {passing === "request" && ", without HTTP headers"}.
        </p>
        {series.intervals.length > 0 && (
          <Button weight="quiet" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? "Hide the table" : "Show as a table"}
          </Button>
        )}
      </div>
      {isTable && <SeriesTable key={`${id} ${range}`} series={series} passing={passing} />}
    </div>
  );
}
