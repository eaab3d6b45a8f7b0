import { lazyView } from '@/components/app/lazy-part'
import { useGetStaffRoleQuery } from '@/lib/api/staff-role-api'
import type { LastChangeState } from '../sign-in-methods/use-last-change'

const SecondFactorCard = lazyView(() =>
  import('./second-factor-card').then((m) => m.SecondFactorCard),
)

/** A card for staff: nobody else has a second factor. */
export function SecondFactor({ change }: { change: LastChangeState }) {
  const { data: role } = useGetStaffRoleQuery()
  return role ? <SecondFactorCard change={change} /> : null
}
