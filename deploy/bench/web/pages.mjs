/** The pages that are measured, and what each has to reach. */

/** Lighthouse's scores, 0 to 100, and its milliseconds on a phone of the middle class, slow 4G. */
const everywhere = { accessibility: 100, 'best-practices': 100, tbt: 100, cls: 0.02 }
const visited = { ...everywhere, performance: 98, seo: 100 }
// App pages are not for search engines: their score there means nothing.
const app = { ...everywhere, performance: 95 }

export const pages = [
  { path: '/', needs: { ...visited, lcp: 1200 } },
  { path: '/blog', needs: { ...visited, lcp: 1200 } },
  { path: '/blog/figma-to-swiftui', needs: { ...visited, lcp: 800 } },
  { path: '/terms', needs: { ...visited, lcp: 800 } },
  { path: '/closed-beta', needs: app, signedIn: true },
  { path: '/profile', needs: app, signedIn: true },
  { path: '/admin', needs: app, signedIn: true },
]

/** The pages that are compared with what they would be without any script, and as Next.js writes them. */
export const compared = ['/', '/blog/figma-to-swiftui']
