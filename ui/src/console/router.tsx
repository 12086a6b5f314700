// The routes of the console behind the hash, so that one file can be served for all of them.
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
} from "@tanstack/react-router";
import { parseSearch, writeSearch } from "./address";
import { AREAS, firstPlace } from "./areas";
import { Lost, PageFailure, Waiting } from "./shell/Lost";
import { Shell } from "./shell/Shell";

export function makeRouter(agent: boolean) {
  const root = createRootRoute({
    component: () => <Shell agent={agent} />,
    notFoundComponent: Lost,
  });
  const start = createRoute({
    getParentRoute: () => root,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: firstPlace(agent) as never, replace: true });
    },
  });
  const places = AREAS.filter((area) => agent || !area.agent).flatMap(({ path, pages }) =>
    Object.entries(pages).map(([below, page]) =>
      createRoute({
        getParentRoute: () => root,
        path: below === "" ? path : `${path}/${below}`,
        component: page,
      }),
    ),
  );
  return createRouter({
    routeTree: root.addChildren([start, ...places]),
    history: createHashHistory(),
    parseSearch,
    stringifySearch: writeSearch,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: PageFailure,
    // The main part of the shell scrolls, not the window.
    scrollRestoration: false,
  });
}
