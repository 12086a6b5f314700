// The filter language of the request list, as far as the page evaluates it.
export { hasTerm, quoted, setTerm, toggleTerm, valueOf } from "./edit";
export { everything, tunnelName, understand, type Filter, type Understood } from "./judge";
