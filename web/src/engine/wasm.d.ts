// vite.config.ts makes a module's bytes a text.

declare module "*.wasm" {
  const base64: string;
  export default base64;
}
