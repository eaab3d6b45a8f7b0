import type { ComponentProps } from 'react'

/** next/link: pages are loaded whole. */
export default function Link({ children, ...props }: ComponentProps<'a'>) {
  return <a {...props}>{children}</a>
}
