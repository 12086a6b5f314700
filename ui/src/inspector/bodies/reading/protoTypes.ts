// What `.proto` files declare, as the decoder needs it: messages with their fields, and the methods of services.

export type Scalar =
  | "double"
  | "float"
  | "int32"
  | "int64"
  | "uint32"
  | "uint64"
  | "sint32"
  | "sint64"
  | "fixed32"
  | "fixed64"
  | "sfixed32"
  | "sfixed64"
  | "bool"
  | "string"
  | "bytes";

/** `unknown`: the field has a name, but the type is declared in no file. */
export type FieldKind = Scalar | "enum" | "message" | "map" | "unknown";

export interface FieldType {
  name: string;
  kind: FieldKind;
  repeated: boolean;
  /** The name of the oneof that it is a member of. */
  oneof: string | null;
  /** Of kind `message`. */
  message: MessageType | null;
  /** Of kind `enum`. */
  values: EnumType | null;
  /** Of kind `map`. */
  map: { key: FieldType; value: FieldType } | null;
}

export interface MessageType {
  /** The full name, such as `shop.v1.Order`. */
  name: string;
  fields: Map<number, FieldType>;
}

export interface EnumType {
  name: string;
  names: Map<number, string>;
}

export interface Method {
  /** Null where the type is declared in no file. */
  request: MessageType | null;
  response: MessageType | null;
}

export interface Schema {
  messages: Map<string, MessageType>;
  /** By path, such as `/shop.v1.Orders/Get`. */
  methods: Map<string, Method>;
}

/** What is wrong in a file, and what to do about it. */
export interface ProtoProblem {
  file: string;
  line: number | null;
  text: string;
}

export const SCALARS: ReadonlySet<string> = new Set<Scalar>([
  "double",
  "float",
  "int32",
  "int64",
  "uint32",
  "uint64",
  "sint32",
  "sint64",
  "fixed32",
  "fixed64",
  "sfixed32",
  "sfixed64",
  "bool",
  "string",
  "bytes",
]);

/** The wire type of values of a kind (not packed). */
export function wireOf(kind: FieldKind): number {
  switch (kind) {
    case "double":
    case "fixed64":
    case "sfixed64":
      return 1;
    case "float":
    case "fixed32":
    case "sfixed32":
      return 5;
    case "string":
    case "bytes":
    case "message":
    case "map":
      return 2;
    default:
      return 0;
  }
}
