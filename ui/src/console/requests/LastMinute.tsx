// The requests of the last minute in words; those that were refused or failed lead to the requests themselves.
import type { ReactNode } from "react";
import type { TrafficPoint } from "../../api/generated";
import { counted } from "../../model/format";
import { PlaceLink } from "../PlaceLink";
import styles from "./LastMinute.module.css";
import { STATUS_4XX, STATUS_5XX } from "./recentRequests";

interface LastMinuteProps {
  point: TrafficPoint;
  /** The page that has a tab with the requests. */
  page: string;
}

export function LastMinute({ point, page }: LastMinuteProps) {
  const { requests, refused, failed } = point;
  return (
    <>
      {counted(requests, "request")}
      {refused > 0 && (
        <>
          , <RequestsLink page={page} filter={STATUS_4XX}>{`${refused} refused`}</RequestsLink>
        </>
      )}
      {failed > 0 && (
        <>
          , <RequestsLink page={page} filter={STATUS_5XX}>{`${failed} failed`}</RequestsLink>
        </>
      )}
    </>
  );
}

interface RequestsLinkProps {
  page: string;
  filter: string;
  children: ReactNode;
}

/** A link to the requests of an edge or a route that a filter admits. */
export function RequestsLink({ page, filter, children }: RequestsLinkProps) {
  return (
    <PlaceLink to={page} search={{ tab: "requests", filter }} className={styles.link}>
      {children}
    </PlaceLink>
  );
}
