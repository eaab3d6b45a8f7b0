import type { NextConfig } from 'next'

/**
 * The site is a static export: the front door serves the files and routes /api to the gateway.
 * `trailingSlash: false` writes /blog as blog.html, which the front door finds by `{path}.html`.
 */
const config: NextConfig = {
  output: 'export',
  trailingSlash: false,
  reactStrictMode: true,
  poweredByHeader: false,
  images: { unoptimized: true },
  experimental: {
    // A page is painted from its document alone: it waits for no style sheet.
    inlineCss: true,
    // A page's style holds what the page uses: without this option all pages share one sheet.
    cssChunking: { type: 'graph', requestCost: 2000 },
    // Fewer requests before a page comes to life; by default each layout and page brings several small chunks.
    turbopackChunking: { minChunkSize: 400_000 },
  },
  turbopack: { root: import.meta.dirname },
}

export default config
