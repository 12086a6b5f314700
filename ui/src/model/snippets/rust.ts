// A captured request as a Rust program with reqwest.
import { escaped } from "./escaped";
import { sentHeaders, type Snippet } from "./source";

export function rustProgram(source: Snippet, reveal: boolean): string {
  const { method, url, body } = source;
  const encoder = new TextEncoder();
  const call = [
    `.request(reqwest::Method::from_bytes(${bytes(encoder.encode(method))})?, ${text(url)})`,
    ...sentHeaders(source, reveal).map(
      ({ name, value }) => `.header(${text(name)}, &${bytes(encoder.encode(value))}[..])`,
    ),
    ...(body.length > 0 ? [`.body(${bytes(body)}.to_vec())`] : []),
    ".send()?;",
  ];
  const client = source.authority
    ? [
        `    let authority = reqwest::Certificate::from_pem(&std::fs::read(${text(source.authority)})?)?;`,
        "    let client = reqwest::blocking::Client::builder().add_root_certificate(authority).build()?;",
        "    let response = client",
      ]
    : ["    let response = reqwest::blocking::Client::new()"];
  return [
    "// cargo add reqwest --features blocking",
    "fn main() -> Result<(), Box<dyn std::error::Error>> {",
    ...client,
    ...call.map((line) => `        ${line}`),
    '    println!("{}", response.status());',
    '    println!("{}", response.text()?);',
    "    Ok(())",
    "}",
  ].join("\n");
}

function text(value: string): string {
  const units = Array.from(value, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === "\\") return `\\${character}`;
    return code >= 0x20 && code < 0x7f ? character : `\\u{${code.toString(16)}}`;
  });
  return `"${units.join("")}"`;
}

function bytes(value: Uint8Array): string {
  return `b"${escaped(value)}"`;
}
