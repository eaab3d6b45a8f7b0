import { StillTrying } from './still-trying'

/** Says what loads behind a skeleton: at once to those who cannot see it, and to all when it takes long. */
export function LoadingStatus({ children }: { children: string }) {
  return (
    <>
      <span className="visually-hidden" role="status">
        {children}
      </span>
      <StillTrying />
    </>
  )
}
