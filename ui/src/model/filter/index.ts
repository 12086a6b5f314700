// The filter language of the request list, as far as the page evaluates it.
export { hasTerm, quotedValue as quoted, setTerm, toggleTerm, filterValue as valueOf } from "./edit";
export {
  matchAll as everything,
  tunnelName,
  compileFilter as understand,
  type Filter,
  type CompiledFilter as Understood,
} from "./evaluate";
