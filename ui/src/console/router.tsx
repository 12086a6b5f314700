// The routes of the console behind the hash, so that one file can be served for all of them.
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
} from "@tanstack/react-router";
import { parseSearch, writeSearch, type Search } from "./address";
import { AREAS, firstPath } from "./areas";
import { NotFound, PageFailure, Loading } from "./shell/PageStates";
import { Shell } from "./shell/Shell";

export function makeRouter(agent: boolean) {
  const root = createRootRoute({
    component: () => <Shell agent={agent} />,
    notFoundComponent: NotFound,
    validateSearch: (search: Search): Search => search,
  });
  const start = createRoute({
    getParentRoute: () => root,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: firstPath(agent), replace: true });
    },
  });
  const routes = AREAS.filter((area) => agent || !area.agent).flatMap(({ path, pages }) =>
    Object.entries(pages).map(([below, page]) =>
      createRoute({
        getParentRoute: () => root,
        path: below === "" ? path : `${path}/${below}`,
        component: page,
      }),
    ),
  );
  return createRouter({
    routeTree: root.addChildren([start, ...routes]),
    history: createHashHistory(),
    parseSearch,
    stringifySearch: writeSearch,
    defaultPendingComponent: Loading,
    defaultErrorComponent: PageFailure,
    // The main part of the shell scrolls, not the window.
    scrollRestoration: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
