import localFont from 'next/font/local'

/** Bricolage Grotesque with its optical size axis: characterful at display sizes, quiet in text. */
export const sans = localFont({
  src: '../../node_modules/@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-opsz-normal.woff2',
  variable: '--font-bricolage',
  weight: '200 800',
  display: 'swap',
})

/** JetBrains Mono, for code. Not preloaded: only pages that show code ask for it. */
export const mono = localFont({
  src: '../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  variable: '--font-jetbrains',
  weight: '100 800',
  display: 'swap',
  preload: false,
})
