// What vite.config.ts and Vite make of imports that are no scripts.

declare module "*.wasm" {
  const base64: string;
  export default base64;
}

declare module "*?worker&inline" {
  const Made: new () => Worker;
  export default Made;
}
