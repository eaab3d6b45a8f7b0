import type { ComponentProps, ComponentType } from 'react'
import type { Islands } from '@/page-script/islands'

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
export function island<Name extends keyof Islands>(name: Name, component: Islands[Name]) {
  const Component = component as ComponentType<object>
  return function Island(props: ComponentProps<Islands[Name]>) {
    return (
      <fledge-island data-name={name} data-props={JSON.stringify(props)}>
        <Component {...(props as object)} />
      </fledge-island>
    )
  }
}
