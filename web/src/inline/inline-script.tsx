/**
 * A function as an inline script, which runs while the page is parsed, before any file is loaded. Its source text is
 * what runs, so it may use only its own variables and browser APIs.
 */
export function InlineScript({ name, run }: { name: string; run: () => void }) {
  return (
    <script
      data-inline={name}
      dangerouslySetInnerHTML={{ __html: `(${run.toString()})()`.replaceAll('</', '<\\/') }}
    />
  )
}
