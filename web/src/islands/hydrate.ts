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
  hydrateRoot(element, createElement(IslandBoundary, null, island), {
    onCaughtError: (error) => console.error(error),
  })
}
