import { useSelector } from 'react-redux'
import type { RootState } from './store'

/** The typed hook; features use it instead of react-redux's own. */
export const useAppSelector = useSelector.withTypes<RootState>()
