import { markPaths } from './mark-paths'

/** The feather mark, in the current text colour. Decorative: the name stands beside it. */
export function Mark({ size = 24, className }: { size?: number; className?: string }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      fill="currentColor"
      aria-hidden="true"
      focusable="false"
      className={className}
    >
      {markPaths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}
