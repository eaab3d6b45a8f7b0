'use client'

import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { useServerInsertedHTML } from 'next/navigation'
import { type ReactNode, useState } from 'react'

interface Inserted {
  name: string
  global: boolean
}

/** Emotion's cache, noting which rules a render has added since they were last asked for. */
function createRegistry() {
  const cache = createCache({ key: 'css' })
  // Keeps style elements out of the tree, where the browser would move them before hydration.
  cache.compat = true
  const insert = cache.insert
  let added: Inserted[] = []
  cache.insert = (selector, serialized, sheet, shouldCache) => {
    if (cache.inserted[serialized.name] === undefined) {
      added.push({ name: serialized.name, global: !selector })
    }
    return insert(selector, serialized, sheet, shouldCache)
  }
  const flush = () => {
    const flushed = added
    added = []
    return flushed
  }
  return { cache, flush }
}

/** Writes the styles of the exported pages to the head, so that the pages hydrate as they are. */
export function StyleRegistry({ children }: { children: ReactNode }) {
  const [{ cache, flush }] = useState(createRegistry)

  useServerInsertedHTML(() => {
    const added = flush()
    const scoped = added.filter(({ global }) => !global)
    const text = (names: Inserted[]) => names.map(({ name }) => cache.inserted[name]).join('')
    return (
      <>
        {added
          .filter(({ global }) => global)
          .map((style) => (
            <Style
              key={style.name}
              names={`${cache.key}-global ${style.name}`}
              css={text([style])}
            />
          ))}
        {scoped.length > 0 && (
          <Style
            names={`${cache.key} ${scoped.map(({ name }) => name).join(' ')}`}
            css={text(scoped)}
          />
        )}
      </>
    )
  })

  return <CacheProvider value={cache}>{children}</CacheProvider>
}

function Style({ names, css }: { names: string; css: string }) {
  return <style data-emotion={names} dangerouslySetInnerHTML={{ __html: css }} />
}
