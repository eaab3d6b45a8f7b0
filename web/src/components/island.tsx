import type { ComponentType, HTMLAttributes } from 'react'

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where React's types look for elements
  namespace JSX {
    interface IntrinsicElements {
      'fledge-island': HTMLAttributes<HTMLElement>
    }
  }
}

/** The components that are islands; src/islands/registry.ts has each by its name. */
export type IslandName =
  | 'header'
  | 'waitlist-form'
  | 'article-list'
  | 'share-button'
  | 'local-date'
  | 'today'
  | 'play-when-seen'
  | 'log-path'
  | 'page-views'

/**
 * `Component` as an interactive part of a visitors' page. The markup names it and carries its properties,
 * which survive JSON: src/islands hydrates it by that name without Next's run-time.
 */
export function island<Props extends object>(name: IslandName, Component: ComponentType<Props>) {
  return function Island(props: Props) {
    return (
      <fledge-island data-name={name} data-props={JSON.stringify(props)}>
        <Component {...props} />
      </fledge-island>
    )
  }
}
