/** The pages that are measured, and what each has to reach. */

/** Lighthouse's scores, 0 to 100, and its milliseconds on a phone of the middle class, slow 4G. */
const everywhere = { accessibility: 100, 'best-practices': 100, cls: 0.02 }
const visited = { ...everywhere, performance: 98, seo: 100, lcp: 1200, tbt: 50 }
// App pages are not for search engines: their score there means nothing.
const app = { ...everywhere, performance: 90, lcp: 2500, tbt: 200 }

export const pages = [
  { path: '/', needs: visited },
  { path: '/blog', needs: visited },
  { path: '/blog/figma-to-swiftui', needs: visited },
  { path: '/terms', needs: visited },
  { path: '/signin', needs: app },
  { path: '/closed-beta', needs: app, signedIn: true },
  { path: '/profile', needs: app, signedIn: true },
  { path: '/admin', needs: app, signedIn: true },
]

/** The pages that are compared with what they would be without any script, and as Next.js writes them. */
export const compared = ['/', '/blog/figma-to-swiftui', '/closed-beta', '/signin']
