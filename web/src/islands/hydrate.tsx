import type { ComponentType } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island: the properties are those that the markup carries. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name] as ComponentType<object> | undefined
  if (!Component) throw new Error(`no island is called ${name}`)
  hydrateRoot(
    element,
    // Where nobody sees anything, nobody misses it.
    <IslandBoundary fallback={element.textContent ? undefined : null}>
      <Component {...(JSON.parse(props) as object)} />
    </IslandBoundary>,
    { onCaughtError: (error) => console.error(error) },
  )
}
