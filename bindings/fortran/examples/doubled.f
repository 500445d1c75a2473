C     Redundant constraints and conditions for the initial values: a
C     pendulum whose rod is written down twice.
C
C       x = (lambda1, lambda2, v1, v2, p1, p2)
C
C     The start is where p1 = 0.6 and the speed is 2, moving right. With
C     the LU decomposition GEOMS refuses the second, dependent rod; with
C     the SVD both rods share the force equally, and the energy is kept.
      PROGRAM DOUBLE
      IMPLICIT NONE
      INTEGER N,M,LRWORK
      PARAMETER (N=6,M=10,LRWORK=5*M)
      INTEGER IOPT(40),IWORK(20),IPAR(1),IERR,IDID,I,K
      DOUBLE PRECISION X(N),T,H,RTOL(1),ATOL(1),ROPT(40),RWORK(LRWORK),
     #                 RPAR(1),E0,E
      EXTERNAL IVCOND,EOM,MAS,NOJAC,NOSOL
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0.0D0
   10 CONTINUE
      IOPT(2)=6
      IOPT(15)=4
      RTOL(1)=1.0D-8
      ATOL(1)=1.0D-8
      RPAR(1)=9.81D0
      DO 30 K=1,3,2
        IOPT(11)=K
        DO 20 I=1,4
          X(I)=0.0D0
   20   CONTINUE
        X(3)=1.0D0
        X(5)=0.5D0
        X(6)=-0.5D0
        T=0.0D0
        H=1.0D-2
        IERR=0
        IDID=0
        CALL GEOMS(2,2,0,0,0,2,0,0,M,N,2,X,T,5.0D0,H,RTOL,ATOL,0,
     #             IOPT,ROPT,IVCOND,EOM,MAS,NOJAC,0,NOSOL,0,
     #             20,IWORK,LRWORK,RWORK,RPAR,IPAR,IERR,IDID)
        WRITE(6,'(A,I2,A,I6,A,F7.3)') 'IOPT(11) =',K,': IDID =',IDID,
     #                                ' at T =',T
        IF (K.EQ.1 .AND. IDID.NE.-2603) STOP 1
   30 CONTINUE
      E0=2.0D0-0.8D0*RPAR(1)
      E=0.5D0*(X(3)**2+X(4)**2)+RPAR(1)*X(6)
      WRITE(6,'(A,2F12.6)') 'forces of the two rods  ',X(1),X(2)
      WRITE(6,'(A,1PE9.1)') 'drift of the energy     ',E-E0
      IF (IDID.NE.0 .OR. .NOT.(ABS(E-E0).LT.1.0D-5)) STOP 1
      IF (.NOT.(ABS(X(1)-X(2)).LT.1.0D-9)) STOP 1
      END

C     RDA = (gII, gII | gI, gI | g, g | f_dyn | f_kin)
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER M,N,IOPT(*),IPAR(*),IERR,I
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*),F1,F2
      F1=-2.0D0*X(5)*(X(1)+X(2))
      F2=-2.0D0*X(6)*(X(1)+X(2))-RPAR(1)
      DO 10 I=1,2
        RDA(I)=2.0D0*(X(3)**2+X(4)**2+X(5)*F1+X(6)*F2)
        RDA(2+I)=2.0D0*(X(5)*X(3)+X(6)*X(4))
        RDA(4+I)=X(5)**2+X(6)**2-1.0D0
   10 CONTINUE
      RDA(7)=F1
      RDA(8)=F2
      RDA(9)=X(3)
      RDA(10)=X(4)
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

      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      COND(1)=X(5)-0.6D0
      COND(2)=X(3)**2+X(4)**2-4.0D0
      END

C     Derivatives are computed by differences (IJAC = 0).
      SUBROUTINE NOJAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #                 FX1,FX2,FX3,FX4,FX5,FX6,IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(*),FX2(*),FX3(*),FX4(*),FX5(*),FX6(*),
     #                 ROPT(*),RPAR(*)
      END

C     Nothing is printed on the way (IOUT = 0).
      SUBROUTINE NOSOL(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,C2M1,
     #                 RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,X(N),CONTX(NN4),H,C1M1,C2M1,RPAR(*)
      END
