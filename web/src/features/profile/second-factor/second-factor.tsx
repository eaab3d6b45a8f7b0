import { lazyView } from '@/components/app/lazy-part'
import { useGetStaffRoleQuery } from '@/lib/api/identity-api'

const SecondFactorCard = lazyView(() =>
  import('./second-factor-card').then((m) => m.SecondFactorCard),
)

/** A card for staff: nobody else has a second factor. */
export function SecondFactor() {
  const { data: role } = useGetStaffRoleQuery()
  return role ? <SecondFactorCard /> : null
}
