// The filter language of the list, as far as the page knows it.
export { hasTerm, quoted, setTerm, toggleTerm, valueOf } from "./edit";
export { everything, tunnelName, understand, type Filter, type Understood } from "./judge";
