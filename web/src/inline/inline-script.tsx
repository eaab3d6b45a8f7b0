/**
 * A function as an inline script that runs while the page is parsed, before any file is loaded. Its text is
 * what runs: it may use nothing but its own variables and the browser's.
 */
export function InlineScript({ name, run }: { name: string; run: () => void }) {
  return (
    <script
      data-inline={name}
      dangerouslySetInnerHTML={{ __html: `(${run.toString()})()`.replaceAll('</', '<\\/') }}
    />
  )
}
