C     A pendulum in Cartesian coordinates, with its own Jacobian and
C     continuous output.
C
C       x = (lambda, v1, v2, p1, p2),   v' = (0,-g) - 2 p lambda
C       0 = p1**2 + p2**2 - 1
C
C     It starts horizontally and at rest; g = 4 K(1/2)**2 makes the
C     period 2: after five of them it is back. lambda is a guess.
      PROGRAM PENDUL
      IMPLICIT NONE
      INTEGER N,M,LRWORK
      PARAMETER (N=5,M=7,LRWORK=5*N)
      INTEGER IOPT(40),IWORK(20),IPAR(1),IERR,IDID,I
      DOUBLE PRECISION X(N),T,H,RTOL(1),ATOL(1),ROPT(40),RWORK(LRWORK),
     #                 RPAR(2),ERR
      EXTERNAL NOCOND,EOM,MAS,JAC,SOLOUT
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0.0D0
   10 CONTINUE
      IOPT(2)=6
      IOPT(14)=1
      IOPT(15)=4
      RTOL(1)=1.0D-8
      ATOL(1)=1.0D-8
      RPAR(1)=13.750371636040745655D0
      RPAR(2)=0.0D0
      DO 20 I=1,N
        X(I)=0.0D0
   20 CONTINUE
      X(4)=1.0D0
      T=0.0D0
      H=1.0D-2
      IERR=0
      IDID=0
      WRITE(6,'(A)') '    time           p1           p2       lambda'
      CALL GEOMS(2,2,0,0,0,1,0,0,M,N,0,X,T,1.0D1,H,RTOL,ATOL,0,
     #           IOPT,ROPT,NOCOND,EOM,MAS,JAC,1,SOLOUT,1,
     #           20,IWORK,LRWORK,RWORK,RPAR,IPAR,IERR,IDID)
      WRITE(6,'(A,I6,A,I6,A,I6)') 'IDID =',IDID,', steps',IWORK(1),
     #                            ', Newton iterations',IWORK(8)
      ERR=MAX(ABS(X(4)-1.0D0),ABS(X(5)),ABS(X(2)),ABS(X(3)))
      WRITE(6,'(A,1PE9.1)') 'error after five periods',ERR
      IF (IDID.NE.0 .OR. .NOT.(ERR.LT.1.0D-5)) STOP 1
      END

C     RDA = (gII | gI | g | f_dyn | f_kin)
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*),F1,F2
      F1=-2.0D0*X(4)*X(1)
      F2=-2.0D0*X(5)*X(1)-RPAR(1)
      RDA(1)=2.0D0*(X(2)**2+X(3)**2+X(4)*F1+X(5)*F2)
      RDA(2)=2.0D0*(X(4)*X(2)+X(5)*X(3))
      RDA(3)=X(4)**2+X(5)**2-1.0D0
      RDA(4)=F1
      RDA(5)=F2
      RDA(6)=X(2)
      RDA(7)=X(3)
      END

      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      MA(1,1)=1.0D0
      MA(1,2)=0.0D0
      MA(2,1)=0.0D0
      MA(2,2)=1.0D0
      END

C     The negative derivatives of RDA; the blocks arrive as zeros.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #               FX1,FX2,FX3,FX4,FX5,FX6,IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),ROPT(*),RPAR(*)
      FX1(1,1)=4.0D0*(X(4)**2+X(5)**2)
      FX1(1,2)=-4.0D0*X(2)
      FX1(1,3)=-4.0D0*X(3)
      FX1(1,4)=8.0D0*X(1)*X(4)
      FX1(1,5)=8.0D0*X(1)*X(5)+2.0D0*RPAR(1)
      FX2(1,1)=-2.0D0*X(4)
      FX2(1,2)=-2.0D0*X(5)
      FX2(1,3)=-2.0D0*X(2)
      FX2(1,4)=-2.0D0*X(3)
      FX3(1,1)=-2.0D0*X(4)
      FX3(1,2)=-2.0D0*X(5)
      FX5(1,1)=2.0D0*X(4)
      FX5(2,1)=2.0D0*X(5)
      FX5(1,4)=2.0D0*X(1)
      FX5(2,5)=2.0D0*X(1)
      FX6(1,1)=-1.0D0
      FX6(2,2)=-1.0D0
      END

C     Prints the solution at RPAR(2) = 0, 1.25, 2.5, ...
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,C2M1,
     #                  RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR,I
      DOUBLE PRECISION TOLD,T,X(N),CONTX(NN4),H,C1M1,C2M1,RPAR(*),Y(5),
     #                 GEDENSOUT
      EXTERNAL GEDENSOUT
   10 IF (RPAR(2).LE.T) THEN
        DO 20 I=1,5
          Y(I)=GEDENSOUT(I,RPAR(2),N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)
   20   CONTINUE
        WRITE(6,'(F8.2,3F13.6)') RPAR(2),Y(4),Y(5),Y(1)
        RPAR(2)=RPAR(2)+1.25D0
        GOTO 10
      END IF
      END

C     There are no conditions (NIVCOND = 0).
      SUBROUTINE NOCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(*),RPAR(*)
      END
