import type { Graph, Thing } from 'schema-dts'

/** Structured data for search engines (schema.org): the `things` that a page is about. */
export function JsonLd({ things }: { things: Thing[] }) {
  const data: Graph = { '@context': 'https://schema.org', '@graph': things }
  // No text may end the element.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}
