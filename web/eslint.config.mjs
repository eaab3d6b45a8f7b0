import next from 'eslint-config-next/core-web-vitals'
import typescript from 'eslint-config-next/typescript'

const features = [
  'session',
  'auth',
  'profile',
  'support',
  'closed-beta',
  'admin',
  'landing',
  'blog',
  'legal',
]

/** A feature may use what is shared, itself and the session, never another feature or a page. */
const featureZones = features.map((feature) => ({
  target: `./src/features/${feature}`,
  from: ['./src/features', './src/app'],
  except: feature === 'session' ? [`./${feature}`] : [`./${feature}`, './session'],
}))

const shared = ['components', 'store', 'lib', 'config']

const config = [
  { ignores: ['.next/', 'out/', 'next-env.d.ts', 'src/lib/api/schema.d.ts'] },
  ...next,
  ...typescript,
  {
    // eslint-plugin-react asks the removed context API for its version when it is left to detect it;
    // import/no-cycle would read every dependency's sources, which takes minutes.
    settings: { react: { version: '19.3' }, 'import/ignore': ['/node_modules/'] },
    rules: {
      'import/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: [
            ...featureZones.flatMap(({ target, from, except }) =>
              from.map((path) => ({
                target,
                from: path,
                ...(path === './src/features' ? { except } : {}),
                message: 'Features meet in pages, not in each other.',
              })),
            ),
            {
              target: shared.map((name) => `./src/${name}`),
              from: ['./src/features', './src/app'],
              message: 'Shared code does not know features or pages.',
            },
            {
              target: './src/features/{landing,blog,legal}',
              from: './src/store',
              message: 'Marketing pages load the store on submit: @/lib/api/join-waitlist.',
            },
          ],
        },
      ],
      'import/no-cycle': ['error', { ignoreExternal: true }],
      'import/no-default-export': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'next/image', message: 'A static export has no image optimiser.' }] },
      ],
    },
  },
  {
    files: [
      'src/app/(site)/**',
      'src/app/layout.tsx',
      'src/components/**',
      'src/features/{landing,blog,legal}/**',
    ],
    ignores: ['src/components/app/**'],
    rules: {
      // Full page loads on purpose: articles and legal pages carry no Next run-time to navigate with.
      '@next/next/no-html-link-for-pages': 'off',
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@chakra-ui/*', '@emotion/*', '@reduxjs/*', 'react-redux'],
              message: 'The marketing pages ship without the Chakra and Redux run-times.',
            },
          ],
        },
      ],
    },
  },
]

export default config
