// What is used of the package, which brings no types.
declare module "samlp" {
  const samlp: { auth(options: object): unknown };
  export default samlp;
}
