import next from 'eslint-config-next/core-web-vitals'
import typescript from 'eslint-config-next/typescript'
import security from 'eslint-plugin-security'
import { browserRules } from './lint/browsers.mjs'

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

const shared = ['components', 'store', 'lib', 'config', 'inline']

/** The recommended rules of the plugin that Next's preset brings, but uses six of. */
const { plugins } = next.find((part) => part.plugins?.['jsx-a11y'])
const accessibility = {
  ...plugins['jsx-a11y'].configs.recommended.rules,
  // Safari takes a list without markers for no list, and a part of a table with another display
  // for none, unless it says so.
  'jsx-a11y/no-redundant-roles': [
    'error',
    { ol: ['list'], ul: ['list'], thead: ['rowgroup'], tbody: ['rowgroup'] },
  ],
  // What scrolls has to be reachable by the keyboard.
  'jsx-a11y/no-noninteractive-tabindex': ['error', { roles: ['region', 'tabpanel'], tags: [] }],
  // A navigation hears the clicks of its links, and a dialog those beside it; Escape closes both.
  'jsx-a11y/click-events-have-key-events': 'off',
  'jsx-a11y/no-noninteractive-element-interactions': 'off',
}

/** Rules of the security plugin that take what the types already check for an attack. */
const typeChecked = {
  'security/detect-object-injection': 'off',
  'security/detect-possible-timing-attacks': 'off',
}
/** Scripts, the content reader and tests get their names from the repository, never from a visitor. */
const ownInput = {
  'security/detect-non-literal-fs-filename': 'off',
  'security/detect-non-literal-regexp': 'off',
  'security/detect-unsafe-regex': 'off',
}

/** The analytics record clicks by the names that the code gives; what spreads its properties gets one. */
const namelessButton = {
  selector:
    'JSXOpeningElement[name.name=/^[bB]utton$/]:not(:has(> JSXAttribute[name.name="data-event"])):not(:has(> JSXSpreadAttribute))',
  message: 'Name what it does: data-event="snake_case" (src/lib/analytics/names.ts).',
}

const config = [
  { ignores: ['.next/', 'out/', 'next-env.d.ts', 'src/lib/api/schema.d.ts'] },
  ...next,
  ...typescript,
  security.configs.recommended,
  {
    // eslint-plugin-react asks the removed context API for its version when it is left to detect it;
    // import/no-cycle would read every dependency's sources, which takes minutes.
    settings: { react: { version: '19.3' }, 'import/ignore': ['/node_modules/'] },
    rules: {
      ...accessibility,
      ...typeChecked,
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
        {
          paths: [
            { name: 'next/image', message: 'A static export has no image optimiser.' },
            {
              name: 'next/dynamic',
              message: 'A part that cannot be loaded has to be replaced: components/app/lazy-part.',
            },
          ],
        },
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
      // Full page loads on purpose: visitors' pages carry no Next run-time to navigate with.
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
  {
    files: ['src/**'],
    ignores: ['**/*.test.{ts,tsx}', 'src/testing/**', 'src/lib/content/**', '**/route.ts'],
    rules: {
      ...browserRules,
      'no-restricted-syntax': [...browserRules['no-restricted-syntax'], namelessButton],
    },
  },
  { files: ['src/app/**/page.tsx'], rules: { 'max-lines': ['error', 25] } },
  { files: ['**/*.test.{ts,tsx,mjs}', 'scripts/**', 'src/lib/content/**'], rules: ownInput },
]

export default config
