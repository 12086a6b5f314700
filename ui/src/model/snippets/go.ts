// A captured request as a Go program that needs only the standard library.
import { escaped } from "./escaped";
import { sentHeaders, type Snippet } from "./source";

export function goProgram(source: Snippet, reveal: boolean): string {
  const { method, url, body } = source;
  const headers = sentHeaders(source, reveal);
  const reader = body.length > 0 ? `strings.NewReader("${escaped(body)}")` : "nil";
  const { authority } = source;
  const imports = [
    ...(authority ? ["crypto/tls", "crypto/x509"] : []),
    "fmt",
    "io",
    "net/http",
    ...(authority ? ["os"] : []),
    ...(body.length > 0 ? ["strings"] : []),
  ];
  const client = authority
    ? [
        `\tpem, err := os.ReadFile(${text(authority)})`,
        ...failing,
        "\tauthorities := x509.NewCertPool()",
        "\tauthorities.AppendCertsFromPEM(pem)",
        "\tclient := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}",
        "\tresponse, err := client.Do(request)",
      ]
    : ["\tresponse, err := http.DefaultClient.Do(request)"];
  return [
    "package main",
    "",
    "import (",
    ...imports.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    `\trequest, err := http.NewRequest(${text(method)}, ${text(url)}, ${reader})`,
    ...failing,
    ...headers.map(({ name, value }) =>
      name.toLowerCase() === "host"
        ? `\trequest.Host = ${text(value)}`
        : // Not by Add, which changes the spelling of the name.
          `\trequest.Header[${text(name)}] = append(request.Header[${text(name)}], ${text(value)})`,
    ),
    ...client,
    ...failing,
    "\tdefer response.Body.Close()",
    "\tbody, err := io.ReadAll(response.Body)",
    ...failing,
    "\tfmt.Println(response.Status)",
    "\tfmt.Println(string(body))",
    "}",
  ].join("\n");
}

const failing = ["\tif err != nil {", "\t\tpanic(err)", "\t}"];

/** An interpreted string literal; Go's strings are bytes. */
function text(value: string): string {
  return `"${escaped(new TextEncoder().encode(value))}"`;
}
