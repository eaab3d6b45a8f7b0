/** Every page address of the site; pages and links take theirs from here. */
export const paths = {
  home: '/',
  features: '/#features',
  support: '/#support',
  blog: '/blog',
  feed: '/feed.xml',
  article: (slug: string) => `/blog/${slug}`,
  profile: '/profile',
  /** The profile, where providers are added and removed. */
  signInMethods: '/profile#sign-in-methods',
  /** The profile, with the question whether to delete the account. */
  deleteAccount: '/profile#delete-account',
  admin: '/admin',
  closedBeta: '/closed-beta',
  signIn: '/signin',
  /** Where every sign-in comes back to. */
  signedIn: '/auth/callback',
  terms: '/terms',
  privacy: '/privacy',
} as const
