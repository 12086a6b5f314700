// A link to a page of the console.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface PlaceLinkProps {
  to: string;
  search?: Record<string, string>;
  className?: string | undefined;
  title?: string;
  "aria-current"?: "page" | undefined;
  children: ReactNode;
}

export function PlaceLink({ to, search = {}, ...rest }: PlaceLinkProps) {
  return <Link {...rest} to={to} search={search} />;
}
