import { type ComponentType, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island with the properties in its markup. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name] as ComponentType<object> | undefined
  if (!Component) throw new Error(`no island is called ${name}`)
  // As a transition it runs in short tasks.
  startTransition(() => {
    hydrateRoot(
      element,
      // An invisible island (page views) needs no visible fallback.
      <>
        <IslandBoundary fallback={element.textContent ? undefined : null}>
          <Component {...(JSON.parse(props) as object)} />
        </IslandBoundary>
        <AfterHydration run={() => replayClick(element)} />
      </>,
      { onCaughtError: (error) => console.error(error) },
    )
  })
}

/** Replays the click that the page has kept (src/inline/keep-clicks.ts). */
function replayClick(island: HTMLElement): void {
  const { clicked } = island.dataset
  island.dataset.hydrated = ''
  delete island.dataset.clicked
  if (clicked !== undefined) island.querySelectorAll('button')[Number(clicked)]?.click()
}

/** Its effect runs after those of what is before it. */
function AfterHydration({ run }: { run: () => void }) {
  useEffect(run, [run])
  return null
}
