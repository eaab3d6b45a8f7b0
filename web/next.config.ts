import type { NextConfig } from 'next'

/**
 * The site is a static export: the front door serves the files and routes /api to the gateway.
 * `trailingSlash: false` writes /blog as blog.html, which the front door finds by `{path}.html`.
 */
const config: NextConfig = {
  output: 'export',
  // Without it Next takes a random one, and no two builds are equal.
  generateBuildId: () => process.env.FLEDGE_BUILD_ID ?? null,
  trailingSlash: false,
  reactStrictMode: true,
  poweredByHeader: false,
  images: { unoptimized: true },
  experimental: {
    // No `inlineCss`: fonts of a style in the document are requested with the page's whole address as
    // the referrer, and that of /auth/callback has a code.
    // A page's style sheets hold what the page uses: without this option all pages share one sheet.
    cssChunking: { type: 'graph', requestCost: 1000 },
  },
  turbopack: { root: import.meta.dirname },
}

export default config
