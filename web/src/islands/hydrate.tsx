import type { ComponentType } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island with the properties in its markup. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name] as ComponentType<object> | undefined
  if (!Component) throw new Error(`no island is called ${name}`)
  hydrateRoot(
    element,
    // An invisible island (page views) needs no visible fallback.
    <IslandBoundary fallback={element.textContent ? undefined : null}>
      <Component {...(JSON.parse(props) as object)} />
    </IslandBoundary>,
    { onCaughtError: (error) => console.error(error) },
  )
}
