import createCache, { type EmotionCache } from '@emotion/cache'

const canNest = () => typeof CSS !== 'undefined' && CSS.supports?.('selector(&)')

/**
 * Emotion's cache, but where the browser can nest rules it is left to it: doing so in a script is a third
 * of what it takes to show an element for the first time. Such rules get no prefixes; a property that
 * still wants one has to bring it.
 */
export function createStyleCache(): EmotionCache {
  const cache = createCache({ key: 'css' })
  if (!canNest()) return cache
  const { insert } = cache
  cache.insert = (selector, serialized, sheet, shouldCache) => {
    // What stands for itself: global rules and keyframes.
    if (!selector) return insert(selector, serialized, sheet, shouldCache)
    sheet.insert(`${selector}{${serialized.styles}}`)
    if (shouldCache) cache.inserted[serialized.name] = true
  }
  return cache
}
