import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { tokens } from '@/config/tokens'
import { slotRecipes } from './slot-recipes'

/** Chakra wants `{ name: { value } }` where the site's tokens are `{ name: value }`. */
function valued(group: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name, { value }]))
}

/**
 * Chakra's engine over the site's own tokens: the values stay in the style sheet, so light and dark
 * follow the visitor without a script, and only the parts that the app pages use have a recipe.
 */
export const system = createSystem(defaultBaseConfig, {
  preflight: false,
  cssVarsPrefix: 'app',
  theme: {
    breakpoints: { sm: '480px', md: '768px', lg: '1024px' },
    tokens: {
      colors: valued(tokens.color),
      fontSizes: valued(tokens.text),
      spacing: valued(tokens.space),
      radii: valued(tokens.radius),
      durations: valued(tokens.duration),
      fonts: valued(tokens.font),
      shadows: valued(tokens.shadow),
    },
    keyframes: {
      arrive: { from: { opacity: 0, translate: '0 0.375rem' } },
    },
    slotRecipes,
  },
})
