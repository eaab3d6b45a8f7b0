import { type ComponentType, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { IslandName } from '@/components/island'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island with the properties in its markup. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name as IslandName] as ComponentType<object> | undefined
  if (!Component) throw new Error(`no island is called ${name}`)
  const { clicked } = element.dataset
  // From here on React hears of clicks itself.
  element.dataset.hydrated = ''
  delete element.dataset.clicked
  // As a transition it runs in short tasks.
  startTransition(() => {
    hydrateRoot(
      element,
      // An invisible island (page views) needs no visible fallback.
      <IslandBoundary fallback={element.textContent ? undefined : null}>
        <Component {...(JSON.parse(props) as object)} />
        {clicked !== undefined && <Replay click={() => clickButton(element, Number(clicked))} />}
      </IslandBoundary>,
      { onCaughtError: (error) => console.error(error) },
    )
  })
}

const clickButton = (island: HTMLElement, index: number) =>
  island.querySelectorAll('button')[index]?.click()

/** Replays the click that the page has kept (src/inline/keep-clicks.ts), after the effects of what is before it. */
function Replay({ click }: { click: () => void }) {
  useEffect(click, [click])
  return null
}
