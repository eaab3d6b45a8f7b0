import type { ComponentType } from 'react'

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where React's types look for elements
  namespace JSX {
    interface IntrinsicElements {
      'fledge-island': HTMLAttributes<HTMLElement>
    }
  }
}

/**
 * `Component` as a part of a visitors' page that comes to life by itself: the page carries its markup
 * and its properties, and src/page-script/islands.ts hydrates it by `name`. Properties survive JSON.
 */
export function island<Props extends object>(name: string, Component: ComponentType<Props>) {
  return function Island(props: Props) {
    return (
      <fledge-island data-name={name} data-props={JSON.stringify(props)}>
        <Component {...props} />
      </fledge-island>
    )
  }
}
