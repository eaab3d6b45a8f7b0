type Modules = {
  keys(): string[]
  (key: string): { default?: Record<string, string> } & Record<string, string>
}
declare const require: { context(folder: string, deep: boolean, pattern: RegExp): Modules }

export const dynamic = 'force-static'

export function GET() {
  const modules = require.context('../../../', true, /\.module\.css$/)
  return Response.json(
    Object.fromEntries(modules.keys().map((key) => [key, modules(key).default ?? modules(key)])),
  )
}
