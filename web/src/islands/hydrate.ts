import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island: the properties are those that the markup carries. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name]
  if (!Component) throw new Error(`no island is called ${name}`)
  const island = createElement(Component, JSON.parse(props) as never)
  // Where nobody sees anything, nobody misses it.
  const fallback = element.textContent ? undefined : null
  hydrateRoot(element, createElement(IslandBoundary, { fallback, children: island }), {
    onCaughtError: (error) => console.error(error),
  })
}
