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
  /** The profile, where members of staff set up their second factor. */
  secondFactor: '/profile#second-factor',
  /** The profile, with the question whether to delete the account. */
  deleteAccount: '/profile#delete-account',
  /** The profile, where the person's data can be downloaded. */
  downloadData: '/profile#download-data',
  admin: '/admin',
  closedBeta: '/closed-beta',
  signIn: '/signin',
  /** Where every sign-in comes back to. */
  signedIn: '/auth/callback',
  terms: '/terms',
  privacy: '/privacy',
} as const
